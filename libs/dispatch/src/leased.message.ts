/** A message that this process has taken from a queue. */
export interface LeasedMessage {
  /** What it is called as long as it is taken: the token of its submission, or a digest of what lay on the queue. */
  readonly receipt: string;
  /** Who holds it: this process, and which of its takings. Commands of any other holder are refused. */
  readonly holder: string;
  /** What lay on the queue. */
  readonly member: Buffer;
  /** Tries that were made before. */
  readonly tries: number;
}

/** What the wish to cancel a message is recognized by. */
export interface CancelMark {
  readonly key: string;
  readonly token: string;
}
