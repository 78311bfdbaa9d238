/** What a command that gives a list has given. */
export function replyList(reply: unknown): readonly unknown[] {
  return Array.isArray(reply) ? reply : [];
}
