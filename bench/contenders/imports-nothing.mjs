// A process of the section `sdk`: bare Node, with a module that is as good as empty.
export const nothing = undefined;
