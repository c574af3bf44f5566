// @ts-check
// A part of the canvas that the folder of a product brings, loaded when it is first shown.

import { html } from "../vendor/preact.js";
import { useLoaded } from "../parts/lazy.js";
import { Loading } from "./states.js";

/** If it cannot be loaded, the canvas says so as if it could not be drawn. @param {{load: () => Promise<any>, [prop: string]: any}} props */
export function Brought({ load, ...props }) {
  const { part, failure } = useLoaded(load);
  if (failure) throw failure;
  return part ? html`<${part} ...${props} />` : html`<${Loading} />`;
}
