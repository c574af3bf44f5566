// Types of `diff.js`.
export interface Change<T> { value: T; added?: boolean; removed?: boolean; count?: number }
export function diffLines(before: string, after: string, options?: any): Change<string>[];
export function diffWordsWithSpace(before: string, after: string, options?: any): Change<string>[];
export function diffArrays<T>(before: T[], after: T[], options?: any): Change<T[]>[];
