import { redisScript } from '#broker';
import { DEADLINE, LET_GO, RECORD } from './lease.lua.ts';

/**
 * Puts a message back on its queue as it was.
 * KEYS leases, holders, taken, queue; ARGV receipt, holder. Gives 0 when the message is somebody else's.
 */
export const GIVE_BACK = redisScript(
  'give_back',
  `${RECORD}${DEADLINE}${LET_GO}
local receipt = ARGV[1]
local found = record(receipt, ARGV[2])
if not found then return 0 end
redis.call('ZCARD', KEYS[4])
local member = redis.call('HGET', KEYS[3], receipt)
letGo(receipt)
redis.call('ZADD', KEYS[4], deadline(found), member)
return 1`,
);
