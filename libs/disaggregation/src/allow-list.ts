/** Which hosts a request may make the sidecar call (`sidecar.md` 8). */
export abstract class AllowList {
  /** @param host a name or an address without brackets; ports do not matter */
  abstract allows(host: string): boolean;
}

/** Where nothing is protected: the endpoint picker is trusted to have removed what clients wrote. */
export class EveryHost extends AllowList {
  allows(): boolean {
    return true;
  }
}
