import { TransferConnector } from '../transfer-connector.decorator.ts';
import { EcConnector } from './ec-connector.ts';

/** A store that encode writes and prefill reads by hash: nothing is on the wire. */
@TransferConnector('ec', 'ec-shared-storage')
export class SharedStorageEcConnector extends EcConnector {
  merge(): undefined {
    return undefined;
  }
}
