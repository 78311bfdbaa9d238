import type { Provider } from '@nestjs/common';
import type { Interceptor } from '#foundation';
import { MediaDownloader } from './media-downloader.ts';
import type { MediaCall, MediaDownload } from './media-downloader.ts';
import { MediaInliner } from './media-inliner.ts';

/** Around each media download. */
export type MediaInterceptor = Interceptor<MediaCall, MediaDownload>;

/** The interceptors, outermost first. */
export const MEDIA_INTERCEPTORS = Symbol('steps:media-interceptors');

/** What the step is given. */
export const mediaProviders: readonly Provider[] = [
  {
    provide: MediaDownloader,
    inject: [MEDIA_INTERCEPTORS],
    useFactory: (interceptors: readonly MediaInterceptor[]) => new MediaDownloader(interceptors),
  },
  {
    provide: MediaInliner,
    inject: [MediaDownloader],
    useFactory: (downloader: MediaDownloader) => new MediaInliner(downloader),
  },
];
