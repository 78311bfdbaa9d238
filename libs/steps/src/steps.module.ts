import { Module } from '@nestjs/common';
import type { DynamicModule } from '@nestjs/common';
import { ConditionalDecodeStep } from './conditional-decode.step.ts';
import { DecodeStep } from './decode.step.ts';
import { EncodeStep } from './encode.step.ts';
import { PrefillStep } from './prefill.step.ts';
import { RenderClient } from './render/render.client.ts';
import { RenderStep } from './render/render.step.ts';
import { WireFormatPolicy } from './wire-format.policy.ts';

/** The steps that come with the coordinator, in the order a request usually meets them. */
export const BUILT_IN_STEPS = [
  RenderStep,
  ConditionalDecodeStep,
  EncodeStep,
  PrefillStep,
  DecodeStep,
] as const;

@Module({})
export class StepsModule {
  /** @param imports the modules of the gateway, the connectors and the pipeline, as they were registered */
  static register(imports: readonly DynamicModule[]): DynamicModule {
    return {
      module: StepsModule,
      imports: [...imports],
      providers: [...BUILT_IN_STEPS, RenderClient, WireFormatPolicy],
      exports: [WireFormatPolicy],
    };
  }
}
