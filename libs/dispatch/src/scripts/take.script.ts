import { redisScript } from '#broker';
import { NOW, TRIES } from './lease.lua.ts';

/**
 * Takes messages off the queue, the nearest deadline first, and leases them. What is known of a message is kept beside it as long as it is
 * taken, so that it can go back whoever disappears.
 * KEYS leases, holders, taken, queue; ARGV holder, ms of the lease, most messages, most bytes, most bytes of
 * the first one.
 * Gives the time in ms, the bytes of a message that was too large or 0, and of each message receipt, member, deadline and tries.
 */
export const TAKE = redisScript(
  'take',
  `${NOW}${TRIES}
local holder, lease, most, left = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local first_left = tonumber(ARGV[5])
local time = now()
local reply = {tostring(time), '0'}

-- a submission's token is its receipt; where two messages claim one, the second goes by its digest. Nil where the very same bytes are held
-- already: what becomes of those becomes of these
local function receiptOf(member)
  local token = string.match(member, '^{"internal":{"request_token":"(%x+)"')
  local held = token and redis.call('HGET', KEYS[3], token)
  if held == member then return nil end
  local digest = redis.sha1hex(member)
  if redis.call('HEXISTS', KEYS[3], digest) == 1 then return nil end
  return token and not held and #token <= 128 and token or digest
end

-- what is not there to be written to ends the script before anything is written
redis.call('ZCARD', KEYS[1])
redis.call('HLEN', KEYS[2])

for place = 1, most do
  local first = redis.call('ZRANGE', KEYS[4], 0, 0, 'WITHSCORES')
  local member, deadline = first[1], first[2]
  if not member then break end
  if #member > (place == 1 and first_left or left) then
    reply[2] = tostring(#member)
    break
  end
  local receipt = receiptOf(member)
  redis.call('ZREM', KEYS[4], member)
  if receipt then
    redis.call('HSET', KEYS[3], receipt, member)
    redis.call('HSET', KEYS[2], receipt, holder .. ' ' .. deadline)
    redis.call('ZADD', KEYS[1], time + lease, receipt)
    left = left - #member
    local tries = triesOf(member)
    for _, part in ipairs({receipt, member, deadline, tostring(tries)}) do reply[#reply + 1] = part end
  end
end
return reply`,
);
