// @ts-check
/**
 * Values that the browser stores for the console. If it cannot, because a person or a policy forbids it or there is no room, the page
 * keeps them until it is closed, so that everything else works.
 */

/** @param {() => Storage} area throws in a browser that forbids storage */
function keeper(area) {
  /** Values that the browser did not store. @type {Map<string, string>} */
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

/** Stored until the tab is closed. */
export const inTab = keeper(() => sessionStorage);

/** Stored for all tabs, without an end. */
export const forGood = keeper(() => localStorage);
