import { Controller, Get, Header } from '@nestjs/common';
import { ADMIN_PAGE } from './admin-page.ts';

/**
 * `/`: the page for people. It holds no data, so whoever reaches the listener may have it; what it shows comes from `/admin`, by the
 * rules of `AdminGuard`, and where these want a token the page asks for it.
 */
@Controller()
export class AdminPageController {
  @Get()
  @Header('content-type', 'text/html; charset=utf-8')
  @Header('content-security-policy', ADMIN_PAGE.policy)
  @Header('cache-control', 'no-store')
  @Header('referrer-policy', 'no-referrer')
  @Header('x-content-type-options', 'nosniff')
  page(): string {
    return ADMIN_PAGE.html;
  }
}
