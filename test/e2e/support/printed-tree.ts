/** Names of the spans of a printed tree; what stands after a `>` is indented more than what stands before. */
export function treeShape(section: string): string {
  const names = [...section.matchAll(/^([ │├└─]*)([A-Za-z][^│\n]*?) +[\d.]+ ms {2}│/gm)];
  let depth = 0;
  const words = names.map(([, branch = '', name = '']) => {
    const isDeeper = branch.length > depth;
    depth = branch.length;
    return isDeeper ? `> ${name}` : name;
  });
  return words.join(' ');
}
