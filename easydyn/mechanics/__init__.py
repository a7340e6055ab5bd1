"""The mechanics: symbols, kinematics, d'Alembert's residual, and what a mechanism is; to be read without the engine."""
