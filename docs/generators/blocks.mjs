/**
 * A page with what stands between `<!-- name:begin -->` and `<!-- name:end -->` written anew.
 * @throws Error where the page has no such markers
 */
export function withBlocks(path, page, blocks) {
  return Object.entries(blocks).reduce((text, [name, block]) => {
    const [begin, end] = [`<!-- ${name}:begin -->`, `<!-- ${name}:end -->`];
    const [from, to] = [text.indexOf(begin), text.indexOf(end)];
    if (from < 0 || to < from) throw new Error(`${path} has no place for ${name}: ${begin} and ${end}`);
    return `${text.slice(0, from + begin.length)}\n\n${block}\n\n${text.slice(to)}`;
  }, page);
}
