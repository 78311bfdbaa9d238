import { describe, expect, it } from '@jest/globals';
import { DecisionLog } from '../decision-log.ts';
import { Director } from '../director.service.ts';
import type { Decision } from '../director.service.ts';
import { aRouted } from '../director.fixture.ts';
import { EndpointStore } from '../endpoint.store.ts';
import { loadPickerConfig } from '../picker-config/load-picker-config.ts';
import { problems } from '../picker-config/picker-config.fixture.ts';
import { buildPicker } from '../picker-config/picker.factory.ts';
import { PLUGINS } from '../plugins.ts';
import { ApproxPrefixCacheProducer } from '../producers/approx-prefix-cache.producer.ts';
import { InFlightLoadProducer } from '../producers/inflight-load.producer.ts';
import { anEndpoint } from '../scheduling.fixture.ts';
import { SchedulingError } from '../scheduling.error.ts';

const role = (name: string, address: string) =>
  anEndpoint({ name, address, labels: { 'llm-d.ai/role': name.split('-', 1)[0] ?? '' } });
const POOL = [role('prefill-1', '10.0.0.1'), role('prefill-2', 'fd00::2'), role('decode-1', '10.0.0.3')];
const RESERVE = { 'epp-profile': 'prefill', prefer: 'Reserve-Endpoint' };
const PROMPT = Buffer.from(JSON.stringify({ model: 'm', prompt: Array.from({ length: 512 }, (_, id) => id) }));

/** A director of real plugins, and those of them that keep something. */
class Picker {
  readonly endpoints = new EndpointStore();
  readonly log = new DecisionLog();
  readonly prefixes: ApproxPrefixCacheProducer;
  readonly loads: InFlightLoadProducer;
  private readonly director: Director;

  /** @param reserves whether reservations are configured */
  constructor(reserves = true, more = '') {
    const config = loadPickerConfig({ text: configuration(reserves, more) }, () => undefined);
    const surroundings = { classes: PLUGINS, endpoints: this.endpoints, warn: () => undefined };
    const parts = buildPicker(config, surroundings);
    this.director = new Director(parts, this.endpoints, this.log);
    const found = <Kind>(kind: new (...given: never[]) => Kind): Kind => {
      const plugin = parts.plugins.map((made): unknown => made.plugin).find((one) => one instanceof kind);
      if (plugin === undefined) throw new Error(`there is no ${kind.name}`);
      // it is an instance of that
      return plugin as Kind;
    };
    this.prefixes = found(ApproxPrefixCacheProducer);
    this.loads = found(InFlightLoadProducer);
    this.endpoints.replace(POOL);
  }

  route(headers: Readonly<Record<string, string>>): Promise<Decision> {
    return this.director.route(aRouted({ headers, body: PROMPT }));
  }

  ended(decision: Decision): void {
    this.director.ended(decision, 'natural');
  }

  /** Requests in flight, all endpoints together. */
  get inFlight(): number {
    return POOL.reduce((sum, { id }) => sum + this.loads.inFlight(id).requests, 0);
  }
}

function configuration(reserves: boolean, more: string): string {
  return `
apiVersion: llm-d.ai/v1alpha1
kind: EndpointPickerConfig
dataLayer: {injectDefaults: false}
plugins:
- {type: header-profile-handler}
- {type: prefill-filter}
- {type: decode-filter}
- {type: prefix-cache-scorer}
- {type: inflight-load-producer}
${reserves ? '- {type: reserve-endpoint}' : ''}
${more}
schedulingProfiles:
- {name: prefill, plugins: [{pluginRef: prefill-filter}, {pluginRef: prefix-cache-scorer}]}
- {name: decode, plugins: [{pluginRef: decode-filter}]}`;
}

describe('Prefer: reserve-endpoint', () => {
  it('is answered with an endpoint of the profile, and recorded by nobody', async () => {
    const picker = new Picker();
    const decision = await picker.route(RESERVE);
    expect(decision.isReserved).toBe(true);
    expect(['10.0.0.1:8000', '[fd00::2]:8000']).toContain(decision.destination);
    expect(picker.inFlight).toBe(0);
    expect(picker.prefixes.indexSize).toBe(0);
  });

  it('is seen in the log of decisions', async () => {
    const picker = new Picker();
    await picker.route(RESERVE);
    await picker.route({ 'epp-profile': 'prefill' });
    expect(picker.log.records()).toMatchObject([
      { primary: 'prefill', isReserved: false, refusal: undefined },
      { primary: 'prefill', isReserved: true, refusal: undefined, profiles: [{ picked: [expect.any(String)] }] },
    ]);
  });

  it('is no wish that anybody heeds without the plugin', async () => {
    const picker = new Picker(false);
    const decision = await picker.route(RESERVE);
    expect(decision.isReserved).toBe(false);
    expect(picker.inFlight).toBe(1);
    picker.ended(decision);
    expect(picker.inFlight).toBe(0);
  });

  it('is refused as any request where nobody is there for it', async () => {
    const picker = new Picker();
    picker.endpoints.replace(POOL.filter(({ name }) => name.startsWith('decode')));
    await expect(picker.route(RESERVE)).rejects.toMatchObject({ status: 429, droppedReason: 'rejected-saturated' });
    picker.endpoints.replace([]);
    await expect(picker.route(RESERVE)).rejects.toMatchObject({ status: 503, droppedReason: 'rejected-no-endpoints' });
  });

  it('does not get past the gate of a conditional request', async () => {
    const picker = new Picker(true, '- {type: prefix-based-pd-decider, parameters: {nonCachedTokens: 16}}');
    const wish = { ...RESERVE, prefer: 'if-available, reserve-endpoint' };
    await expect(picker.route(wish)).rejects.toMatchObject({ status: 412 });
  });
});

describe('a request with a pin', () => {
  it('goes to the endpoint that was reserved, counts there while it runs, and is known there afterwards', async () => {
    const picker = new Picker();
    for (const { address } of POOL.slice(0, 2)) {
      const pin = address.includes(':') ? `[${address}]:8000` : `${address}:8000`;
      const decision = await picker.route({ 'epp-profile': 'prefill', 'x-llm-d-pin-host-port': pin });
      expect(decision).toMatchObject({ isReserved: false, destination: pin });
      expect(picker.inFlight).toBe(1);
      picker.ended(decision);
      expect(picker.inFlight).toBe(0);
    }
    expect(picker.prefixes.indexSize).toBeGreaterThan(0);
  });

  it('goes nowhere when the endpoint is not of the pool', async () => {
    const pin = { 'epp-profile': 'prefill', 'x-llm-d-pin-host-port': '10.9.9.9:8000' };
    await expect(new Picker().route(pin)).rejects.toEqual(
      new SchedulingError(
        'ServiceUnavailable',
        'screeners eliminated all endpoint candidates: endpoint-pin-screener',
        'rejected-no-endpoints',
      ),
    );
  });

  it('goes nowhere when the endpoint is of another role', async () => {
    const pin = { 'epp-profile': 'prefill', 'x-llm-d-pin-host-port': '10.0.0.3:8000' };
    await expect(new Picker().route(pin)).rejects.toMatchObject({ status: 429 });
  });

  it('goes nowhere when the pin cannot be read', async () => {
    const pin = { 'epp-profile': 'prefill', 'x-llm-d-pin-host-port': '10.0.0.1' };
    await expect(new Picker().route(pin)).rejects.toMatchObject({ status: 400 });
  });

  it('is not looked at without the plugin', async () => {
    const pin = { 'epp-profile': 'decode', 'x-llm-d-pin-host-port': '10.0.0.1:8000' };
    await expect(new Picker(false).route(pin)).resolves.toMatchObject({ destination: '10.0.0.3:8000' });
  });
});

describe('the configuration of reservations', () => {
  it.each(['reserve-endpoint', 'endpoint-pin-screener'])('%s takes no parameters', (type) => {
    expect(problems(`plugins: [{type: ${type}, parameters: {host: x}}]`)).toHaveLength(1);
  });
});
