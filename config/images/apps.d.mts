export interface Image {
  readonly app: string;
  readonly data: Readonly<Record<string, string>>;
}

export const IMAGES: Readonly<Record<string, Image>>;
export function mainOf(image: Image): string;
