export { GatewayClient } from './gateway.client.ts';
export type { PassthroughCall, PhaseCall } from './gateway.client.ts';
export { GATEWAY_CONFIG, gatewayConfig, serverTrust } from './gateway.config.ts';
export type { GatewayConfig, UpstreamSettings } from './gateway.config.ts';
export { GatewayModule } from './gateway.module.ts';
export type { GatewayModuleOptions } from './gateway.module.ts';
export { answerBytes, jsonAnswer, refusal } from './json-answer.ts';
export { ReplyBody } from './reply-body.ts';
export type { ByteSource } from './reply-body.ts';
export { firstValue } from './upstream-call.ts';
export type {
  Profile,
  TimeLimit,
  UpstreamAttempt,
  UpstreamCall,
  UpstreamName,
  UpstreamReply,
} from './upstream-call.ts';
export { UPSTREAM_CALL_INTERCEPTORS } from './upstream-call.interceptor.ts';
export type { UpstreamCallInterceptor } from './upstream-call.interceptor.ts';
export { UpstreamClient } from './upstream.client.ts';
