// What a new plugin may be written in.

export const languages = ['ts', 'js', 'python'] as const;

export type Language = (typeof languages)[number];
