import { redisScript } from '#broker';
import { DEADLINE, NOW, RECORD, TRIES } from './lease.lua.ts';

/**
 * Has a message wait for its next try; its deadline stays.
 * KEYS leases, holders, taken, retries; ARGV receipt, holder, ms to wait, 1 where a try was made. Gives 0 when the message is somebody
 * else's.
 */
export const RETRY = redisScript(
  'retry',
  `${NOW}${RECORD}${DEADLINE}${TRIES}
local receipt, holder = ARGV[1], ARGV[2]
local found = record(receipt, holder)
if not found then return 0 end
redis.call('ZCARD', KEYS[4])
redis.call('ZREM', KEYS[1], receipt)
redis.call('HSET', KEYS[2], receipt, '- ' .. deadline(found))
if ARGV[4] == '1' then redis.call('HSET', KEYS[3], receipt, counted(redis.call('HGET', KEYS[3], receipt))) end
redis.call('ZADD', KEYS[4], now() + tonumber(ARGV[3]), receipt)
return 1`,
);
