export { BUILT_IN_STEPS, StepsModule } from './steps.module.ts';
export { WireFormatPolicy } from './wire-format.policy.ts';
