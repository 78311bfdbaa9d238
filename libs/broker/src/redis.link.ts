/** A word of a command. */
export type RedisWord = string | Buffer;

/** Told when a connection breaks, with the error, and when it is there again, with undefined. */
export type LinkListener = (error: unknown) => void;

/**
 * Port: the connections to one topology of servers, one for commands and one for what is subscribed to. Rejects as the client
 * library does; commands are refused while their connection is down.
 */
export abstract class RedisLink {
  /** Connects the connection of commands. */
  abstract connect(): Promise<void>;
  /** @param key decides the node, where there are several; a reply's texts come as bytes */
  abstract send(key: string, words: readonly RedisWord[]): Promise<unknown>;
  /** Connects the connection of subscriptions. @throws Error where the topology has none */
  abstract connectSubscriber(): Promise<void>;
  abstract subscribe(channel: string, listener: () => void): Promise<void>;
  abstract unsubscribe(channel: string): Promise<void>;
  /** Ends both connections, after what was sent is answered. */
  abstract close(): Promise<void>;
  /** Ends both at once. */
  abstract destroy(): void;
}
