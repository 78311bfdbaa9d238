export { ClientReply } from './client-reply.ts';
export { serverConfig } from './server.config.ts';
export type { ServerConfig } from './server.config.ts';
export { ServerModule } from './server.module.ts';
export type { ServerModuleOptions } from './server.module.ts';
export { warmUp } from './warm-up/warm-up.ts';
export { WarmUpstream } from './warm-up/warm-upstream.ts';
