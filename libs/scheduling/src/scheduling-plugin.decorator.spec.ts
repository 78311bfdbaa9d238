import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { SchedulingPlugin, pluginMetadata } from './scheduling-plugin.decorator.ts';

const METADATA = { type: 'mine', parameters: z.strictObject({}) };

@SchedulingPlugin(METADATA)
class Mine {
  pick(): [] {
    return [];
  }
}

class Plain {
  pick(): [] {
    return [];
  }
}

describe('SchedulingPlugin', () => {
  it('says of a class what the configuration may ask of it', () => {
    expect(pluginMetadata(Mine)).toBe(METADATA);
  });

  it('is missed on a class that does without', () => {
    expect(() => pluginMetadata(Plain)).toThrow('Plain has no @SchedulingPlugin');
  });
});
