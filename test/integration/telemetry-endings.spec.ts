import { describe, expect, it } from '@jest/globals';
import { TcpPeer, cleanup } from '#testing';
import { SpanRecorder } from '../../libs/telemetry/src/spans.fixture.ts';
import { ObservedCoordinator, until } from './telemetry.fixture.ts';
import type { ObservedOptions } from './telemetry.fixture.ts';
import { EVENTS } from './telemetry-cluster.fixture.ts';
import { aChat } from './telemetry-client.fixture.ts';
import type { ClientOptions } from './telemetry-client.fixture.ts';
import { ID, servedOne } from './telemetry-served.fixture.ts';
import { sharedCluster } from './telemetry-shared.fixture.ts';

const PREFIX = 'llm_d_coordinator_';

const cluster = await sharedCluster();
const later = cleanup();

async function after(options: ObservedOptions, request: ClientOptions) {
  const served = await servedOne(cluster, options, request);
  later(() => served.own.close());
  return served;
}

describe('a request that is broken off', () => {
  it('is an error when its client leaves in mid-stream, and recorded as such', async () => {
    const leaving = new AbortController();
    cluster.handlers.decode = (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write(`data: ${EVENTS[1]}\n\n`);
    };
    const onData = (): void => leaving.abort();
    const { server, own, named, metric } = await after({}, { body: aChat(), signal: leaving.signal, onData });
    expect(server).toMatchObject({ isError: true, attributes: { 'llm_d.coordinator.outcome': 'client_closed' } });
    expect(named('CLIENT', 'decode')).toMatchObject([{ isError: true, attributes: { 'error.type': 'client_closed' } }]);
    expect(await metric('stream_outcome_total')).toEqual({ 'outcome="client_closed"': 1 });
    expect(own.timeline(ID)).toMatchObject({ status: 200, outcome: 'client_closed' });
  });

  it('is recorded as 499 when its client leaves before there is an answer', async () => {
    const leaving = new AbortController();
    cluster.handlers.prefill = () => leaving.abort();
    const { server, own } = await after({}, { body: aChat(), signal: leaving.signal });
    expect(server).toMatchObject({ isError: true, attributes: { 'http.response.status_code': 499 } });
    expect(own.timeline(ID)).toMatchObject({ status: 499, outcome: 'client_closed' });
  });

  it('is told from one that left when its client takes nothing', async () => {
    const { send: later, own, metric, server } = await openStream({ write_stall_timeout: '200ms' });
    const peer = await TcpPeer.to(own.url);
    peer.socket.pause();
    peer.send(later);
    await until(() => own.recorder.inFlight === 1);
    await own.idle();
    expect(own.timeline(ID)).toMatchObject({ outcome: 'stalled', status: 200 });
    expect(await metric('stream_outcome_total')).toEqual({ 'outcome="stalled"': 1 });
    expect(await metric('request_error_total')).toEqual({ 'model_name="m",error_code="client_closed"': 1 });
    expect(server()).toMatchObject({ isError: true, attributes: { 'llm_d.coordinator.outcome': 'stalled' } });
    peer.reset();
  });

  it('is told from others when the process breaks it off', async () => {
    const { send: later, own, metric, server } = await openStream({});
    const peer = await TcpPeer.to(own.url);
    peer.send(later);
    await peer.until('data: ');
    own.lifecycle.breakOffAll();
    await own.idle();
    expect(own.timeline(ID)).toMatchObject({ outcome: 'drained', status: 200 });
    expect(await metric('stream_outcome_total')).toEqual({ 'outcome="drained"': 1 });
    expect(await metric('request_error_total')).toEqual({ 'model_name="m",error_code="internal"': 1 });
    expect(server()).toMatchObject({ isError: true, attributes: { 'llm_d.coordinator.outcome': 'drained' } });
  });

  /** A coordinator whose worker streams without end, and what a client sends to have it. */
  async function openStream(server: object) {
    const spans = new SpanRecorder();
    const own = await ObservedCoordinator.start(cluster, { spans, server, steps: ['decode'] });
    later(() => own.close());
    cluster.handlers.decode = (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const write = (): void => {
        while (!response.destroyed && response.write(`data: ${EVENTS[1]}\n\n`.repeat(1000)));
      };
      response.on('drain', write);
      write();
    };
    const body = JSON.stringify(aChat());
    const head = `POST /v1/chat/completions HTTP/1.1\r\nhost: a\r\nx-request-id: ${ID}\r\ncontent-length: ${body.length}\r\n\r\n`;
    return {
      ...{ own, send: head + body },
      metric: (name: string) => own.samples(PREFIX + name),
      server: () => spans.spans.find(({ kind }) => kind === 'SERVER'),
    };
  }
});
