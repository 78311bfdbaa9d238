import { redisScript } from '#broker';
import { NOW, RECORD, TEXT_AT } from './lease.lua.ts';

/**
 * Makes the leases of messages last from this moment on.
 * KEYS leases, holders, and of each message the key of the wish to cancel; ARGV ms of the lease, and of each message receipt, holder and
 * token. Gives the time in ms, and of each message 0: held, 1: held, and the client gives it up, 2: somebody else's.
 */
export const RENEW = redisScript(
  'renew',
  `${NOW}${RECORD}${TEXT_AT}
local time = now()
local reply = {tostring(time)}
for place = 3, #KEYS do
  local at = (place - 3) * 3 + 2
  local receipt, holder, token = ARGV[at], ARGV[at + 1], ARGV[at + 2]
  local state = 2
  if record(receipt, holder) then
    redis.call('ZADD', KEYS[1], time + tonumber(ARGV[1]), receipt)
    state = token ~= '' and textAt(KEYS[place]) == token and 1 or 0
  end
  reply[#reply + 1] = state
end
return reply`,
);
