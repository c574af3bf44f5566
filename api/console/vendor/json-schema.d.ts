// Types of `json-schema.js`.
export interface OutputUnit { keyword: string; keywordLocation: string; instanceLocation: string; error: string }
export class Validator {
  constructor(schema: unknown, draft?: "4" | "7" | "2019-09" | "2020-12", shortCircuit?: boolean);
  validate(instance: unknown): { valid: boolean; errors: OutputUnit[] };
  addSchema(schema: unknown, id?: string): void;
}
