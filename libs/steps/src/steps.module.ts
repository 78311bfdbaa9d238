import { Module } from '@nestjs/common';
import type { DynamicModule, Provider } from '@nestjs/common';
import { AsyncBrokerStep } from './async-broker/async-broker.step.ts';
import { HeldRequests } from './async-broker/held.requests.ts';
import { PassthroughMode } from './async-broker/passthrough.mode.ts';
import { QueuedModes } from './async-broker/queued.modes.ts';
import { ConditionalDecodeStep } from './conditional-decode.step.ts';
import { DecodeStep } from './decode.step.ts';
import { EncodeStep } from './encode.step.ts';
import { PrefillDecodeStep } from './prefill-decode/prefill-decode.step.ts';
import { PrefillStep } from './prefill.step.ts';
import { RenderClient } from './render/render.client.ts';
import { RenderStep } from './render/render.step.ts';
import { MEDIA_INTERCEPTORS, mediaProviders } from './replace-media-urls/media.providers.ts';
import { ReplaceMediaUrlsStep } from './replace-media-urls/replace-media-urls.step.ts';
import { WireFormatPolicy } from './wire-format.policy.ts';

/** The steps that come with the coordinator, in the order a request usually meets them. */
export const BUILT_IN_STEPS = [
  AsyncBrokerStep,
  ReplaceMediaUrlsStep,
  RenderStep,
  ConditionalDecodeStep,
  EncodeStep,
  PrefillStep,
  DecodeStep,
  PrefillDecodeStep,
] as const;

/** What the steps are given. */
export interface StepsModuleOptions {
  /** The modules of the gateway, the connectors and the pipeline, as they were registered, and what the interceptors need. */
  readonly imports: readonly DynamicModule[];
  /** Provides the interceptors around media downloads: a list, outermost first. */
  readonly mediaInterceptors: Provider & { provide: typeof MEDIA_INTERCEPTORS };
  /** The broker's module; without it there is no async-broker step. */
  readonly broker?: DynamicModule | undefined;
}

@Module({})
export class StepsModule {
  static register({ imports, mediaInterceptors, broker }: StepsModuleOptions): DynamicModule {
    return {
      module: StepsModule,
      imports: [...imports, ...(broker === undefined ? [] : [broker])],
      providers: [
        ...(broker === undefined ? BUILT_IN_STEPS.filter((step) => step !== AsyncBrokerStep) : BUILT_IN_STEPS),
        ...(broker === undefined ? [] : [HeldRequests, PassthroughMode, QueuedModes]),
        mediaInterceptors,
        ...mediaProviders,
        RenderClient,
        WireFormatPolicy,
      ],
      exports: [WireFormatPolicy],
    };
  }
}
