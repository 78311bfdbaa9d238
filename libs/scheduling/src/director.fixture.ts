import { Logger } from '@nestjs/common';
import { Director } from './director.service.ts';
import type { DecisionLog } from './decision-log.ts';
import type { Endpoint } from './endpoint.ts';
import { EndpointStore } from './endpoint.store.ts';
import { SingleProfileHandler } from './handlers/single-profile.handler.ts';
import type { RoutedRequest } from './incoming-request.ts';
import type { Objectives } from './objectives.ts';
import type { PickerParts } from './picker-config/picker-parts.ts';
import type { Parser, Picker, PreRequest, Producer, ResponseObserver, SchedulingResult } from './plugin.ts';
import { SchedulingProfile } from './scheduling-profile.ts';
import { aParsedRequest, anEndpoint } from './scheduling.fixture.ts';
import type { ParsedRequest, SchedulingRequest } from './scheduling-request.ts';

/** What differs of a director with one pod, one profile and nothing else. */
export interface DirectorTraits {
  readonly parts?: Partial<PickerParts>;
  readonly endpoints?: readonly Endpoint[];
  readonly log?: DecisionLog;
  readonly objectives?: Objectives;
}

export function aDirector({ parts, endpoints = [anEndpoint()], log, objectives }: DirectorTraits = {}): Director {
  const store = new EndpointStore();
  store.replace(endpoints);
  const first: Picker = { pick: (scored) => scored.slice(0, 1).map(({ candidate }) => candidate) };
  const profile = new SchedulingProfile('decode', [], [], { name: 'first', plugin: first });
  const whole: PickerParts = {
    profiles: new Map([['decode', profile]]),
    handler: { name: 'handler', plugin: new SingleProfileHandler() },
    parsers: [{ name: 'parser', plugin: aParser() }],
    screeners: [],
    producers: [],
    preRequests: [],
    observers: [],
    saturation: { saturation: () => 0 },
    discovery: undefined,
    plugins: [],
    ...parts,
  };
  return new Director(whole, store, log, objectives);
}

/** A parser that reads that out of any body. */
export function aParser(parsed: Partial<ParsedRequest> = {}): Parser {
  return { suffixes: [], parse: () => aParsedRequest(parsed) };
}

export function aRouted(
  given: Partial<Omit<RoutedRequest, 'headers'>> & { headers?: Readonly<Record<string, string>> } = {},
): RoutedRequest {
  const { headers = {}, ...rest } = given;
  return {
    id: 'request-1',
    path: '/v1/completions',
    headers: new Map(Object.entries(headers)),
    body: Buffer.from('{}'),
    subset: undefined,
    ...rest,
  };
}

/** Plugins that write their names into `calls` when they are called, and may throw. */
export class Calls {
  readonly calls: string[] = [];

  producer(name: string, then?: Producer['produce'], timeout?: number): { name: string; plugin: Producer } {
    const produce: Producer['produce'] = (...given) => {
      this.calls.push(name);
      return then?.(...given);
    };
    return { name, plugin: timeout === undefined ? { produce } : { produce, timeout } };
  }

  preRequest(
    name: string,
    stage: PreRequest['stage'],
    then?: (request: SchedulingRequest, result: SchedulingResult) => void,
  ): { name: string; plugin: PreRequest } {
    const before = (request: SchedulingRequest, result: SchedulingResult): void => {
      this.calls.push(name);
      then?.(request, result);
    };
    return { name, plugin: { stage, before } };
  }

  observer(name: string, then?: () => void): { name: string; plugin: ResponseObserver } {
    const note = (what: string): void => {
      this.calls.push(`${name}: ${what}`);
      then?.();
    };
    return { name, plugin: { firstChunk: () => note('first chunk'), ended: (_request, how) => note(how) } };
  }
}

/** Keeps what is logged from here on, in the place of showing it. */
export function keptLog(): readonly unknown[] {
  const kept: unknown[] = [];
  const keep = (...line: unknown[]): void => void kept.push(line[0]);
  Logger.overrideLogger({ log: keep, warn: keep, error: keep, debug: keep, verbose: keep, fatal: keep });
  return kept;
}
