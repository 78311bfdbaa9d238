import { redisScript } from './redis-script.ts';

/**
 * Puts a request on its queue and marks it as pending, all or nothing. A mark that is there wins, so that of two requests of
 * one id that come at the same time one is queued; 1 as the last argument replaces it.
 * KEYS active, cancel, queue; ARGV token, seconds to the deadline, deadline, member, replace. Gives 1 when it was put there.
 */
export const SUBMIT = redisScript(
  'submit',
  `if ARGV[5] == '1' then
  redis.call('SET', KEYS[1], ARGV[1], 'EX', ARGV[2])
elseif not redis.call('SET', KEYS[1], ARGV[1], 'EX', ARGV[2], 'NX') then
  return 0
end
redis.call('DEL', KEYS[2])
redis.call('ZADD', KEYS[3], ARGV[3], ARGV[4])
return 1`,
);

/** Asks the async processor to drop the submission that is pending. KEYS active, cancel; ARGV seconds that the wish is kept. */
export const CANCEL = redisScript(
  'cancel',
  `local token = redis.call('GET', KEYS[1])
if not token then return 0 end
redis.call('SET', KEYS[2], token, 'EX', ARGV[1])
return 1`,
);

/** Takes the wish back, if it is about the submission that is pending. KEYS active, cancel. */
export const UNCANCEL = redisScript(
  'uncancel',
  `local token = redis.call('GET', KEYS[1])
if token and redis.call('GET', KEYS[2]) == token then return redis.call('DEL', KEYS[2]) end
return 0`,
);

/** Which of the keys are there, as their places from 1. */
export const PRESENT = redisScript(
  'present',
  `local found = {}
for place, key in ipairs(KEYS) do
  if redis.call('EXISTS', key) == 1 then found[#found + 1] = place end
end
return found`,
);

/** Takes one of the tenant's places. KEYS counter; ARGV limit, seconds. Gives 0 when none is left. */
export const ACQUIRE = redisScript(
  'acquire',
  `if tonumber(redis.call('GET', KEYS[1]) or '0') >= tonumber(ARGV[1]) then return 0 end
redis.call('INCR', KEYS[1])
redis.call('EXPIRE', KEYS[1], ARGV[2])
return 1`,
);

/** Gives a place back. KEYS counter; ARGV seconds. */
export const RELEASE = redisScript(
  'release',
  `local left = tonumber(redis.call('GET', KEYS[1]) or '0')
if left <= 0 then return 0 end
left = redis.call('DECR', KEYS[1])
if left > 0 then redis.call('EXPIRE', KEYS[1], ARGV[1]) end
return left`,
);
