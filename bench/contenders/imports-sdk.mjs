// A process of the section `sdk`: it loads what an author loads.
import '../../dist/sdk/index.js';
