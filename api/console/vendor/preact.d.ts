// Types of `preact.js`, as loose as templates are.
type Any = any;
export interface Signal<T> { value: T; peek(): T; subscribe(listener: (value: T) => void): () => void }
export const h: (...parts: Any[]) => Any;
export const html: (strings: TemplateStringsArray, ...values: Any[]) => Any;
export const Fragment: Any;
export function render(what: Any, where: Element): void;
export function createContext<T>(value: T): Any;
export function useState<T>(initial: T | (() => T)): [T, (next: T | ((before: T) => T)) => void];
export function useReducer<S, A>(reducer: (state: S, action: A) => S, initial: S): [S, (action: A) => void];
export function useEffect(effect: () => void | undefined | (() => void), inputs?: Any[]): void;
export function useLayoutEffect(effect: () => void | undefined | (() => void), inputs?: Any[]): void;
export function useRef<T>(initial: T): { current: T };
export function useMemo<T>(make: () => T, inputs: Any[]): T;
export function useCallback<T extends Function>(callback: T, inputs: Any[]): T;
export function useContext<T = Any>(context: Any): T;
export function useErrorBoundary(tell?: (error: Any) => void): [Any, () => void];
export function useId(): string;
export function signal<T>(value: T): Signal<T>;
export function computed<T>(read: () => T): Signal<T>;
export function effect(run: () => void | (() => void)): () => void;
export function batch<T>(run: () => T): T;
export function untracked<T>(run: () => T): T;
export function useSignal<T>(value: T): Signal<T>;
export function useComputed<T>(read: () => T): Signal<T>;
