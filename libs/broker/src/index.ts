export { BROKER_CONFIG, brokerConfig } from './broker.config.ts';
export type { BrokerConfig } from './broker.config.ts';
export { BrokerError } from './broker.error.ts';
export type { BrokerFailure } from './broker.error.ts';
export { BrokerKeys, hashTag, isRequestId, queueProblem } from './broker-keys.ts';
export type { RequestKeys } from './broker-keys.ts';
export { BrokerModule } from './broker.module.ts';
export type { BrokerModuleOptions } from './broker.module.ts';
export { BrokerObserver, NoBrokerObserver } from './broker.observer.ts';
export type {
  BrokerCall,
  BrokerMode,
  BrokerOperation,
  HoldOutcome,
  QuotaOutcome,
  SubmissionOutcome,
} from './broker.observer.ts';
export { invalidRequest, pendingAnswer, refusalAnswer } from './broker-answer.ts';
export type { BrokerAnswer, BrokerRefusal } from './broker-answer.ts';
export { DEAD_LETTER_REASONS } from './dead-letter.ts';
export type { DeadLetter, DeadLetterFacts, DeadLetterReason } from './dead-letter.ts';
export { namedTenant } from './named-tenant.ts';
export type { NamedTenant } from './named-tenant.ts';
export { joinedByTurns } from './envelope.ts';
export { isCancelled, mirrored, readResult } from './queued-result.ts';
export type { QueuedResult } from './queued-result.ts';
export { QueueFigures } from './queue.figures.ts';
export type { QueueFigure } from './queue.figures.ts';
export { Quota } from './quota.ts';
export type { QuotaPlace } from './quota.ts';
export { RedisConnection } from './redis.connection.ts';
export { replyList } from './redis-reply.ts';
export { topologyProblems } from './redis-rules.ts';
export type { RuleProblem } from './redis-rules.ts';
export { redisScript } from './redis-script.ts';
export type { RedisScript } from './redis-script.ts';
export { redisServers } from './redis-servers.config.ts';
export type { RedisServers } from './redis-servers.config.ts';
export { REDIS_USE } from './redis-use.ts';
export type { RedisUse } from './redis-use.ts';
export { RequestStore } from './request.store.ts';
export type { RequestState, Submission } from './request.store.ts';
export { ResultWait } from './result.wait.ts';
export type { WaitEnd } from './result.wait.ts';
export { timeoutLimits } from './timeout-limits.ts';
export { WorkerKeys } from './worker-keys.ts';
