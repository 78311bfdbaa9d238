import { z } from 'zod';
import { duration, integer } from '#config';
import { ConnectorRegistry } from '#connectors';
import { BadRequestError, UpstreamAnswerError, UpstreamError, mapLimit } from '#foundation';
import { GatewayClient, UpstreamClient, jsonAnswer } from '#gateway';
import { JsonObject, JsonValue, buildObject, jsonString, rawJson } from '#json';
import { PipelineStep, next, respond } from '#pipeline';
import { WireFormatPolicy } from '#steps';

export type { PipelineRequest, Step, StepFindings, StepOutcome } from '#pipeline';

/** What a step outside this repository is made with; a module of `pipeline.modules` is handed it. */
export const stepKit = {
  z,
  PipelineStep,
  next,
  respond,
  duration,
  integer,
  BadRequestError,
  UpstreamError,
  UpstreamAnswerError,
  mapLimit,
  GatewayClient,
  UpstreamClient,
  ConnectorRegistry,
  WireFormatPolicy,
  jsonAnswer,
  JsonObject,
  JsonValue,
  buildObject,
  jsonString,
  rawJson,
} as const;

export type StepKit = typeof stepKit;
