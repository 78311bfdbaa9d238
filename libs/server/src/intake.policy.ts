import type { IncomingMessage, ServerResponse } from 'node:http';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { BadRequestError, Lifecycle, requestId } from '#foundation';
import { GATEWAY_CONFIG } from '#gateway';
import type { GatewayConfig } from '#gateway';
import { PIPELINE_CONFIG } from '#pipeline';
import type { InboundRequest, PipelineConfig, RequestWatch } from '#pipeline';
import { HEADER, pathOf, valuesOf } from '#protocol';
import type { RequestFormat, RequestScope } from '#protocol';
import { ClientReply } from './client-reply.ts';
import { inboundRequest, requestScope } from './inbound-request.ts';
import { readBody } from './request-body.ts';
import { SERVER_CONFIG, maxBodyBytes } from './server.config.ts';
import type { ServerConfig } from './server.config.ts';

/** What every request is given when it comes in: its id, its reply, and the part of its headers that goes on. */
@Injectable()
export class IntakePolicy {
  private readonly logger = new Logger('server');
  private readonly dropped: ReadonlySet<string>;

  constructor(
    private readonly lifecycle: Lifecycle,
    @Inject(SERVER_CONFIG) private readonly config: ServerConfig,
    @Inject(GATEWAY_CONFIG) gateway: GatewayConfig,
    @Inject(PIPELINE_CONFIG) private readonly pipeline: PipelineConfig,
  ) {
    this.dropped = new Set([gateway.profile_header, ...pipeline.forward_response_headers]);
  }

  reply(request: IncomingMessage, response: ServerResponse, isPassthrough: boolean): ClientReply {
    const { id, rejectedLength } = requestId(valuesOf(request.rawHeaders, HEADER.requestId)[0]);
    if (rejectedLength !== undefined) {
      this.logger.debug({ rejectedLength, 'x-request-id': id }, 'replaced invalid client request ID');
    }
    return new ClientReply(response, id, this.lifecycle, {
      stall: this.config.write_stall_timeout,
      // whether a passthrough streams is not known
      buffered: isPassthrough ? 0 : this.config.write_timeout,
    });
  }

  scope(request: IncomingMessage, reply: ClientReply, isPassthrough: boolean): RequestScope {
    return requestScope({
      id: reply.requestId,
      signal: reply.signal,
      rawHeaders: request.rawHeaders,
      dropped: this.dropped,
      revisionId: this.pipeline.revision_id,
      isPassthrough,
      hasOwnId: valuesOf(request.rawHeaders, HEADER.requestId)[0] === reply.requestId,
      delivered: reply.end.then((end) => end === 'completed'),
    });
  }

  /**
   * Reads the body and makes a request of it.
   * @throws BadRequestError for a body that is coded, too large, or no request; ClientClosedError
   */
  async request(
    request: IncomingMessage,
    scope: RequestScope,
    format: RequestFormat,
    watch: RequestWatch,
  ): Promise<InboundRequest> {
    const coding = request.headers['content-encoding']?.trim().toLowerCase() ?? '';
    if (coding !== '' && coding !== 'identity') {
      throw new BadRequestError('unsupported_encoding', 'content-encoding is not supported: send the body as it is');
    }
    const bytes = await readBody(request, maxBodyBytes(this.config), (size) => {
      watch.bodyRead(size);
    });
    const inbound = await inboundRequest(scope, format, pathOf(format), bytes, this.config.trust_transfer_params);
    watch.parsed(inbound);
    return inbound;
  }
}
