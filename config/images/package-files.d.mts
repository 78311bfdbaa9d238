export function packageFiles(folder: string): readonly string[];
