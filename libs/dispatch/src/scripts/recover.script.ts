import { redisScript } from '#broker';
import { DEADLINE, LET_GO, NOW, TRIES } from './lease.lua.ts';

/**
 * Puts messages back on their queue, with the deadline that they had: those whose lease is over, which counts as a try since their
 * worker may have died of them, and those whose next try is due.
 * KEYS leases, holders, taken, queue, retries; ARGV most of each. Gives how many of each.
 */
export const RECOVER = redisScript(
  'recover',
  `${NOW}${TRIES}${DEADLINE}${LET_GO}
local function back(receipt, change)
  local member = redis.call('HGET', KEYS[3], receipt)
  local score = deadline(redis.call('HGET', KEYS[2], receipt))
  letGo(receipt)
  if member then redis.call('ZADD', KEYS[4], score, change(member)) end
end
local function same(member) return member end

-- a queue that is none ends the script before anything is written
redis.call('ZCARD', KEYS[4])
local time = now()
local expired = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', time, 'LIMIT', 0, ARGV[1])
for _, receipt in ipairs(expired) do back(receipt, counted) end
local due = redis.call('ZRANGEBYSCORE', KEYS[5], '-inf', time, 'LIMIT', 0, ARGV[1])
for _, receipt in ipairs(due) do
  redis.call('ZREM', KEYS[5], receipt)
  back(receipt, same)
end
return {#expired, #due}`,
);
