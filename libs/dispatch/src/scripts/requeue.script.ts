import { redisScript } from '#broker';
import { TEXT_AT } from './lease.lua.ts';

/**
 * Puts a dead letter back on its queue, as pending as it was, in place of what its client was told.
 * KEYS dead, letters, dead members, queue, mailbox, active, cancel; ARGV receipt, member, deadline, token, seconds to the deadline. Gives 0
 * when there is no such dead letter, 2 when its id is that of a later request.
 */
export const REQUEUE = redisScript(
  'requeue',
  `${TEXT_AT}local receipt, token = ARGV[1], ARGV[4]
if not redis.call('ZSCORE', KEYS[1], receipt) then return 0 end
redis.call('ZCARD', KEYS[4])
local marked = textAt(KEYS[6])
if marked and marked ~= token then return 2 end
redis.call('ZREM', KEYS[1], receipt)
redis.call('HDEL', KEYS[2], receipt)
redis.call('HDEL', KEYS[3], receipt)
redis.call('DEL', KEYS[5], KEYS[7])
if token ~= '' then redis.call('SET', KEYS[6], token, 'EX', ARGV[5]) end
redis.call('ZADD', KEYS[4], ARGV[3], ARGV[2])
return 1`,
);

/** Forgets a dead letter. KEYS dead, letters, dead members; ARGV receipt. Gives 0 when there is no such one. */
export const DISCARD = redisScript(
  'discard',
  `redis.call('HDEL', KEYS[2], ARGV[1])
redis.call('HDEL', KEYS[3], ARGV[1])
return redis.call('ZREM', KEYS[1], ARGV[1])`,
);
