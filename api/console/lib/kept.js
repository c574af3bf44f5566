// @ts-check
/**
 * What the browser keeps for the console. Where it keeps nothing, because a person or a policy forbids it or there is no room, the page has
 * it until it is left, so that nothing else stops working.
 */

/** @param {() => Storage} area what a browser that forbids it throws at */
function keeper(area) {
  /** What the browser did not take. @type {Map<string, string>} */
  const here = new Map();
  /** @template T @param {(storage: Storage) => T} use @param {T} otherwise @returns {T} */
  const tried = (use, otherwise) => {
    try {
      return use(area());
    } catch {
      return otherwise;
    }
  };
  return {
    /** @param {string} name @returns {string|null} */
    get: (name) => here.get(name) ?? tried((storage) => storage.getItem(name), null),
    /** @param {string} name @param {string} value */
    set(name, value) {
      const taken = tried((storage) => (storage.setItem(name, value), true), false);
      if (taken) here.delete(name);
      else here.set(name, value);
    },
    /** @param {string} name */
    forget(name) {
      here.delete(name);
      tried((storage) => storage.removeItem(name), undefined);
    },
    /** @returns {string[]} */
    names: () => [...here.keys(), ...tried((storage) => Object.keys(storage), [])],
  };
}

/** As long as the tab. */
export const inTab = keeper(() => sessionStorage);

/** In all tabs, for good. */
export const forGood = keeper(() => localStorage);
