import { describe, expect, it } from '@jest/globals';
import { loadProtos } from './protos.ts';

describe('loadProtos', () => {
  it('has the services, their methods, and the messages of the full-duplex mode', () => {
    const { externalProcessor, health } = loadProtos();
    const process = externalProcessor['Process'];
    const piece = { streamed_response: { body: Buffer.from('x'), end_of_stream: true } };
    const message = { request_body: { response: { body_mutation: piece } } };
    expect(process?.path).toBe('/envoy.service.ext_proc.v3.ExternalProcessor/Process');
    expect(process?.responseDeserialize(process.responseSerialize(message))).toMatchObject(message);
    expect(Object.keys(health).sort()).toEqual(['Check', 'List', 'Watch']);
  });
});
