import { describe, expect, it } from '@jest/globals';
import { keptLog } from '../director.fixture.ts';
import { anEndpoint } from '../scheduling.fixture.ts';
import { ScrapeNews } from './scrape-news.ts';

describe('ScrapeNews', () => {
  it('names the endpoint, and what came in the way', () => {
    const logged = keptLog();
    const error = new Error('no answer');
    new ScrapeNews().failed(error, anEndpoint(), 'an endpoint cannot be scraped');
    expect(logged).toEqual([{ err: error, endpoint: 'default/pod-a' }]);
  });

  it('bounds its lines, however many endpoints fail and come back', () => {
    const logged = keptLog();
    const news = new ScrapeNews();
    for (let time = 0; time < 1_000; time++) {
      news.failed(new Error('no answer'), anEndpoint({ name: `pod-${time}` }), 'an endpoint cannot be scraped');
      news.recovered(anEndpoint({ name: `pod-${time}` }));
    }
    expect(logged.length).toBeGreaterThan(0);
    // ten in ten seconds, and the test may reach into the next ten
    expect(logged.length).toBeLessThanOrEqual(20);
  });
});
