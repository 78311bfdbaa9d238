import { isDeepStrictEqual } from 'node:util';
import { UpstreamAnswerError } from '#foundation';
import { entriesObject } from '#json';
import type { JsonValue, Rope } from '#json';
import { TransferConnector } from '../transfer-connector.decorator.ts';
import { EcConnector } from './ec-connector.ts';

/** NIXL: each encode answer describes where the embeddings of its items lie, by hash. */
@TransferConnector('ec', 'ec-nixl')
export class NixlEcConnector extends EcConnector {
  merge(answers: readonly (JsonValue | undefined)[]): Rope | undefined {
    const byHash = new Map<string, Buffer>();
    for (const answer of answers) {
      for (const member of answer?.members() ?? []) {
        const descriptor = answer?.at(member);
        if (descriptor === undefined || descriptor.isNull) continue;
        this.add(byHash, member.key, descriptor.bytes);
      }
    }
    return byHash.size === 0 ? undefined : entriesObject(byHash);
  }

  private add(byHash: Map<string, Buffer>, hash: string, descriptor: Buffer): void {
    const known = byHash.get(hash);
    if (known !== undefined && !isSameJson(known, descriptor)) {
      throw new UpstreamAnswerError('encode', 'conflicting ec_transfer_params for one mm_hash');
    }
    byHash.set(hash, known ?? descriptor);
  }
}

/** Equal as values, whatever their white space and order of keys; integers beyond a double are compared by their digits. */
function isSameJson(a: Buffer, b: Buffer): boolean {
  return a.equals(b) || isDeepStrictEqual(exact(a), exact(b));
}

function exact(bytes: Buffer): unknown {
  // the third argument is Node's own, the library's types do not have it yet
  const withSource = JSON.parse as (text: string, reviver: Reviver) => unknown;
  return withSource(bytes.toString('utf8'), (_key, value, context) =>
    Number.isInteger(value) && !Number.isSafeInteger(value) ? digits(context.source, value) : value,
  );
}

/** A number written with a fraction or an exponent is no more exact than its double. */
function digits(source: string | undefined, value: unknown): unknown {
  return source !== undefined && /^-?\d+$/.test(source) ? BigInt(source) : value;
}

type Reviver = (key: string, value: unknown, context: { readonly source?: string }) => unknown;
