// Types of `marked.js`: tokens are read by their `type`.
export const lexer: (text: string, options?: any) => any[];
export const Lexer: any;
