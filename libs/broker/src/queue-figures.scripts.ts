import { redisScript } from './redis-script.ts';

/** Bytes of a member that have its names and times before its payload. */
const HEAD = 4096;

/**
 * How a queue stands. KEYS queue, leases, retries, dead. Gives the numbers of members, and of the first member its score and what stands
 * for `created` in its head, as texts; empty ones where there is none.
 */
export const FIGURES = redisScript(
  'figures',
  `local first = redis.call('ZRANGE', KEYS[1], 0, 0, 'WITHSCORES')
local created = ''
if first[1] then created = string.match(string.sub(first[1], 1, ${HEAD}), '"created":(%d+)') or '' end
return {
  redis.call('ZCARD', KEYS[1]), redis.call('ZCARD', KEYS[2]), redis.call('ZCARD', KEYS[3]), redis.call('ZCARD', KEYS[4]),
  first[2] or '', created
}`,
);

/** The last dead letters. KEYS dead, letters; ARGV how many. Gives when each became one in ms, and its JSON, the latest first. */
export const LETTERS = redisScript(
  'letters',
  `local found = redis.call('ZREVRANGE', KEYS[1], 0, ARGV[1] - 1, 'WITHSCORES')
local reply = {}
for place = 1, #found, 2 do
  reply[#reply + 1] = found[place + 1]
  reply[#reply + 1] = redis.call('HGET', KEYS[2], found[place]) or ''
end
return reply`,
);
