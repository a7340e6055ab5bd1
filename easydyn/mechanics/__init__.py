"""The mechanics: symbols, kinematics, d'Alembert's residual, and the mechanism; readable without the engine."""
