export interface GoProgram {
  readonly program: string;
  readonly version: string;
  readonly package: string;
}
export function ensureGoProgram(wanted: GoProgram, print: (line: string) => void): string | undefined;
export function ensureGoModule(module: string, print: (line: string) => void): string | undefined;
