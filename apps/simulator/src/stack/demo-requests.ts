/** A chat of the demo. */
export interface DemoRequest {
  readonly title: string;
  readonly content: unknown;
  /** Its phases, as `phaseNames` has them. */
  readonly expected: string;
}

const TEXT =
  'Explain in one short paragraph why a server that answers token by token wants its prompts computed elsewhere.';

/** A text, the same text again, and two images. @param mediaUrl where images are */
export function coordinatorRequests(mediaUrl: string): readonly DemoRequest[] {
  return [
    {
      title: 'A text: not cached, so prefill and decode',
      content: TEXT,
      expected: 'render, probe 412, prefill, decode',
    },
    {
      title: 'The same text: decode has it cached, the probe is the answer',
      content: TEXT,
      expected: 'render, probe hit',
    },
    {
      title: 'Two images: an encode call each',
      content: [
        { type: 'text', text: 'What is the difference between these two pictures, in plain words?' },
        image(mediaUrl, 'red.png'),
        image(mediaUrl, 'blue.png'),
      ],
      expected: 'render, probe 412, encode×2, prefill, decode',
    },
  ];
}

/** A word, a text, the same text again, and an image. */
export function sidecarRequests(mediaUrl: string): readonly DemoRequest[] {
  return [
    { title: 'A word: too short for a prefill elsewhere', content: 'Hi.', expected: 'decode' },
    { title: 'A text: not cached, so another worker prefills', content: TEXT, expected: 'prefill, decode' },
    { title: 'The same text: the decode worker that has it cached does all', content: TEXT, expected: 'decode' },
    {
      title: 'An image: encoded by an encode worker, then as any cold prompt',
      content: [
        { type: 'text', text: 'What is to be seen in this picture, in plain words?' },
        image(mediaUrl, 'red.png'),
      ],
      expected: 'encode, prefill, decode',
    },
  ];
}

function image(mediaUrl: string, name: string): object {
  return { type: 'image_url', image_url: { url: `${mediaUrl}/${name}` } };
}
