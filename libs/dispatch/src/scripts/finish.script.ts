import { redisScript } from '#broker';
import { DELIVER, LET_GO, RECORD } from './lease.lua.ts';

/**
 * Ends a message with its one result.
 * KEYS leases, holders, taken, mailbox, active, cancel; ARGV receipt, holder, token, result, seconds that the result is kept, 1 where the
 * result is that the client gave the request up. Gives 0 when the message is somebody else's, 4 when the client wants it again after all and
 * nothing was done, else as `deliver`.
 */
export const FINISH = redisScript(
  'finish',
  `${RECORD}${LET_GO}${DELIVER}
local receipt, holder, token = ARGV[1], ARGV[2], ARGV[3]
if not record(receipt, holder) then return 0 end
if ARGV[6] == '1' and textAt(KEYS[6]) ~= token then return 4 end
letGo(receipt)
return deliver(KEYS[4], KEYS[5], KEYS[6], token, ARGV[4], ARGV[5], false)`,
);
