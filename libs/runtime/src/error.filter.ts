import { Catch, HttpException } from '@nestjs/common';
import type { ArgumentsHost, ExceptionFilter } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { BadRequestError, asCoordinatorError } from '#foundation';
import type { CoordinatorError } from '#foundation';
import { answer } from './http-errors.ts';

/** Errors of Nest's own routes, in the same form as everywhere else. */
@Catch()
export class ErrorFilter implements ExceptionFilter {
  catch(thrown: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const reply = http.getResponse<FastifyReply>();
    reply.hijack();
    answer(http.getRequest<FastifyRequest>().raw, reply.raw, asAnswer(thrown));
  }
}

function asAnswer(thrown: unknown): CoordinatorError {
  if (!(thrown instanceof HttpException)) return asCoordinatorError(thrown);
  const status = thrown.getStatus();
  return new BadRequestError(status === 404 ? 'not_found' : 'invalid_value', thrown.message, { status });
}
