import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { GENERATED } from './markdown.mjs';

const FOLDER = 'test/fixtures/wire/';
/** In the order in which a request meets them; those with a step are its calls, in place of prefill and decode. */
const SECTIONS = [
  { phase: 'conditional-decode' },
  { phase: 'encode' },
  { phase: 'prefill' },
  { phase: 'decode' },
  { step: 'prefill-decode', phase: 'reserve-endpoint' },
  { step: 'prefill-decode', phase: 'prefill' },
  { step: 'prefill-decode', phase: 'decode' },
];

const INTRODUCTION = `
What goes to the workers, by phase, client format and connector. Each body is a golden file in \`${FOLDER}\`, which a test
compares with what is sent; the names of the files say the phase, the client's path, the connectors and the prompt.
`;

/** `docs/wire-formats.md`, from the golden files; nothing where there are none. */
export function wireFormats(root) {
  const folder = root + FOLDER;
  if (!existsSync(folder)) return [];
  const names = readdirSync(folder).filter((name) => name.endsWith('.json'));
  const files = names.toSorted().map((name) => ({ name, ...JSON.parse(readFileSync(folder + name, 'utf8')) }));
  const text = [
    GENERATED,
    '# Wire formats',
    INTRODUCTION,
    '## What comes in',
    ...groups(files, ({ request, rendered }) => [request, rendered]).flatMap(incoming),
    ...SECTIONS.flatMap(({ step, phase }) =>
      phaseSection(
        step === undefined ? phase : `${step}: ${phase}`,
        files.filter((file) => file.step === step && file.phase === phase),
      ),
    ),
  ];
  return [{ path: 'docs/wire-formats.md', text: text.join('\n\n') }];
}

function incoming([{ client, request, rendered }]) {
  return [
    `A ${client} client sends`,
    json(request),
    ...(rendered === null ? [] : ["and render's tokens for it are", json(rendered)]),
  ];
}

function phaseSection(title, files) {
  if (files.length === 0) return [];
  return [
    `## ${title}`,
    'Its headers, besides what the transport adds:',
    json(JSON.stringify(files[0].headers)),
    ...groups(files, ({ path, body }) => [path, body]).flatMap(outgoing),
  ];
}

function outgoing(files) {
  const [{ path, body, source }] = files;
  return [
    `### ${files[0].name.replace(/\.json$/, '')}`,
    ...(files.length > 1
      ? [
          `The same for ${files
            .slice(1)
            .map(({ name }) => `\`${name.replace(/\.json$/, '')}\``)
            .join(', ')}.`,
        ]
      : []),
    `\`POST ${path}\` (source: ${source})`,
    json(body),
  ];
}

/** Files of which `keyOf` is equal, together, in the order of the first of each. */
function groups(files, keyOf) {
  return [...Map.groupBy(files, (file) => JSON.stringify(keyOf(file))).values()];
}

/** As it is: parsing would lose digits. The formatter breaks the lines. */
function json(text) {
  return `\`\`\`json\n${text}\n\`\`\``;
}
