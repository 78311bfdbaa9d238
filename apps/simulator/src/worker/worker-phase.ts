import type { IncomingHttpHeaders } from 'node:http';
import type { Phase } from '../control/fault.schema.ts';
import { WireError } from '../control/wire-error.ts';
import type { WorkerRole } from '../simulator.config.ts';
import { prefers } from './prefer.ts';

/** The phase a call to a worker is part of: what the profile header says, else the worker's role, else decode. */
export function workerPhase(headers: IncomingHttpHeaders, profileHeader: string, role: WorkerRole): Phase {
  const profile = headers[profileHeader];
  const named = profile === 'encode' || profile === 'prefill' ? profile : 'decode';
  const phase = profile === undefined && role !== 'all' ? role : named;
  return phase === 'decode' && prefers(headers['prefer'], 'if-available') ? 'probe' : phase;
}

/** The phase of a call that a sidecar makes: no header tells it, and an engine without a role decodes. */
export function enginePhase(role: WorkerRole): Phase {
  return role === 'all' ? 'decode' : role;
}

/** @throws WireError 400 when the gateway chose a worker of another role */
export function requireRole(phase: Phase, role: WorkerRole): void {
  const needed = phase === 'probe' ? 'decode' : phase;
  if (role !== 'all' && role !== needed) throw new WireError(`this worker does ${role}, the call is for ${needed}`);
}
