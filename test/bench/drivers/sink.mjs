/** A collector that takes whatever is exported and throws it away. */
import { createServer } from 'node:net';
import { MessageReader } from './message-reader.mjs';
import { serve } from './rpc.mjs';

const TAKEN = Buffer.from('HTTP/1.1 200 OK\r\ncontent-type: application/x-protobuf\r\ncontent-length: 0\r\n\r\n');
let exports = 0;

const server = createServer({ noDelay: true }, (socket) => {
  const reader = new MessageReader({
    head: () => undefined,
    body: () => undefined,
    end: () => {
      exports++;
      socket.write(TAKEN);
    },
  });
  socket.on('data', (bytes) => reader.push(bytes)).on('error', () => undefined);
});

serve({
  listen: () => new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server.address().port))),
  exports: () => exports,
});
