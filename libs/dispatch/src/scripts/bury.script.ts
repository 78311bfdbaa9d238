import { redisScript } from '#broker';
import { DELIVER, LET_GO, NOW, RECORD } from './lease.lua.ts';

/**
 * Makes a message a dead letter, and tells its client where it has one; the oldest dead letters give way to it.
 * KEYS leases, holders, taken, dead, letters, dead members, and mailbox, active, cancel where there is a client; ARGV receipt, holder,
 * what there is to say of it, most dead letters, and of a client token, result, seconds that the result is kept, 1 where only a submission
 * that is pending is told. Gives 0 when the message is somebody else's.
 */
export const BURY = redisScript(
  'bury',
  `${NOW}${RECORD}${LET_GO}${DELIVER}
local receipt = ARGV[1]
if not record(receipt, ARGV[2]) then return 0 end
redis.call('ZCARD', KEYS[4])
redis.call('HLEN', KEYS[5])
redis.call('HLEN', KEYS[6])
local member = redis.call('HGET', KEYS[3], receipt)
letGo(receipt)
redis.call('ZADD', KEYS[4], now(), receipt)
redis.call('HSET', KEYS[5], receipt, ARGV[3])
redis.call('HSET', KEYS[6], receipt, member)
local over = redis.call('ZCARD', KEYS[4]) - tonumber(ARGV[4])
if over > 0 then
  for _, old in ipairs(redis.call('ZRANGE', KEYS[4], 0, over - 1)) do
    redis.call('ZREM', KEYS[4], old)
    redis.call('HDEL', KEYS[5], old)
    redis.call('HDEL', KEYS[6], old)
  end
end
if KEYS[7] then deliver(KEYS[7], KEYS[8], KEYS[9], ARGV[5], ARGV[6], ARGV[7], ARGV[8] == '1') end
return 1`,
);
