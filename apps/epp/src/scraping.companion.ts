import { Logger } from '@nestjs/common';
import { MetricsScraper, scrapeSettings } from '#scheduling';
import type { ScrapeObserver } from '#scheduling';
import type { PickerMetrics } from '#telemetry/picker';
import type { Companion } from './start.ts';

const NOBODY: ScrapeObserver = { pollFailed: () => undefined, extractFailed: () => undefined };

/** Asks every endpoint how it is, for as long as the picker runs. @param observer told of what fails */
export function scraping(observer: ScrapeObserver = NOBODY): Companion {
  return ({ config, picker, endpoints, options }) => {
    const logger = new Logger('epp');
    const warn = (message: string): void => {
      logger.warn(message);
    };
    const settings = scrapeSettings(config, picker, { interval: options.scrapeInterval, warn });
    const scrapers = settings.map((each) => new MetricsScraper(each, endpoints, observer));
    for (const scraper of scrapers) scraper.start();
    return {
      close: async () => {
        await Promise.all(scrapers.map((scraper) => scraper.close()));
      },
    };
  };
}

/** Counts what fails. */
export function failuresCounted({ on }: PickerMetrics): ScrapeObserver {
  return {
    pollFailed: (source) => {
      on.pollErrors.add([source]);
    },
    extractFailed: (source, extractor) => {
      on.extractErrors.add([source, extractor]);
    },
  };
}
