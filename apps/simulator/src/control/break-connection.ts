import type { ServerResponse } from 'node:http';

/**
 * Ends the connection under an answer that is not whole: `cut` by FIN, `reset` by RST.
 * What was written before goes out first, since a reset would take it back.
 */
export async function breakConnection(response: ServerResponse, how: 'cut' | 'reset'): Promise<void> {
  if (response.headersSent) await new Promise((resolve) => response.write('', resolve));
  if (how === 'reset') response.socket?.resetAndDestroy();
  else response.socket?.destroySoon();
}
