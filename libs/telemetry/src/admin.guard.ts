import { createHash, timingSafeEqual } from 'node:crypto';
import { ForbiddenException, Inject, Injectable, UnauthorizedException } from '@nestjs/common';
import type { CanActivate, ExecutionContext } from '@nestjs/common';
import { ADMIN_VIEW } from './admin-view.ts';
import type { AdminView } from './admin-view.ts';

/** The part of a request that decides. */
interface AdminRequest {
  readonly method: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly raw: { readonly socket: { readonly remoteAddress?: string } };
}

/** Reading is free on loopback and needs the token elsewhere; writing always needs it (`telemetry.md`, "Looking at it"). */
@Injectable()
export class AdminGuard implements CanActivate {
  constructor(@Inject(ADMIN_VIEW) private readonly view: Pick<AdminView, 'token'>) {}

  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<AdminRequest>();
    const isReading = request.method === 'GET' || request.method === 'HEAD';
    if (isReading && isFromHere(request)) return true;
    if (this.view.token === '') throw new ForbiddenException('set admin.token to use this');
    if (!this.isToken(request.headers['authorization'])) throw new UnauthorizedException('wrong or no admin token');
    return true;
  }

  private isToken(authorization: string | string[] | undefined): boolean {
    const given = typeof authorization === 'string' ? authorization.replace(/^Bearer\s+/i, '') : '';
    return timingSafeEqual(hashOf(given), hashOf(this.view.token));
  }
}

function hashOf(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

/** Asked on this machine, for this machine: neither by a proxy that speaks for others, nor by a page whose name was made to lead here. */
function isFromHere(request: AdminRequest): boolean {
  return isLoopback(request.raw.socket.remoteAddress) && !isForwarded(request) && isLocalHost(request.headers['host']);
}

/** `localhost`, `127.0.0.1:9090`, `[::1]`: what a browser sends when it was given this machine's own name. */
function isLocalHost(host: string | string[] | undefined): boolean {
  return typeof host === 'string' && /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d+)?$/i.test(host);
}

function isLoopback(address: string | undefined): boolean {
  return address === '::1' || (address ?? '').replace(/^::ffff:/, '').startsWith('127.');
}

/** A proxy on this machine speaks for others. */
function isForwarded({ headers }: AdminRequest): boolean {
  return headers['x-forwarded-for'] !== undefined || headers['forwarded'] !== undefined;
}
